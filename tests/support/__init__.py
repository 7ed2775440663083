"""What tests, benchmarks and pictures share: a real JupyterLab and browser, child processes, waiting, memory."""
