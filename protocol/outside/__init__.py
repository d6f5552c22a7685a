"""What never runs in a run's user-mode kernel: a change here changes no digit of a run."""
