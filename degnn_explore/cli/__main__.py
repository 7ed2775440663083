"""``python -m degnn_explore.cli`` is ``degnn-explore``."""

import sys

from .command import main

sys.exit(main())
