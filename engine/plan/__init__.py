"""What is to be measured: experiments, their cells, what each draws and costs, and the job that a kernel gets of it."""
