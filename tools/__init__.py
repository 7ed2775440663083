"""What tests, benchmarks and pictures share: a JupyterLab with a Chromium in front of it."""
