"""A generated photo of 12 megapixels."""

import subprocess

CONVERT = "/usr/bin/convert"


def photograph(file):
    """Soft shapes with grain, like a phone's: 4000 × 3000 px, planes of colour of half the width and
    height, about 4 MB."""
    subprocess.run(
        [CONVERT, "-size", "1000x750", "plasma:tomato-steelblue", "-resize", "4000x3000!",
         "-attenuate", "0.25", "+noise", "Gaussian", "-quality", "94", "-sampling-factor",
         "4:2:0", file], check=True)
