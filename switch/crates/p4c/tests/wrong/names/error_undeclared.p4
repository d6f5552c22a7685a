const error e = error.NoError;
