"""A generated photo of 12 megapixels."""

import subprocess

CONVERT = "/usr/bin/convert"


def photograph(file):
    """Soft shapes with grain, like a camera's: 4000 × 3000 px, about 4 MB."""
    subprocess.run(
        [CONVERT, "-size", "1000x750", "plasma:tomato-steelblue", "-resize", "4000x3000!",
         "-attenuate", "0.25", "+noise", "Gaussian", "-quality", "92", file], check=True)
