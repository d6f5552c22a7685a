const error e = error.TooSmall;
