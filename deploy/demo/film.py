#!/usr/bin/env python3
"""Draws the film of the demonstration training: a minute's ride along a lake. Needs Pillow and ffmpeg.

usage: film.py OUTPUT.mp4
"""

import math
import subprocess
import sys

from PIL import Image, ImageDraw

WIDTH, HEIGHT, RATE, SECONDS = 320, 180, 12, 60
SKY = ((246, 217, 198), (243, 230, 220))
HILLS = ((157, 182, 196), (111, 144, 163), (71, 112, 138))
ROAD, SHORE = (214, 198, 178), (47, 79, 99)


def ridge(layer, x):
    """The height of a row of hills, in px from above."""
    depth = layer + 1
    wave = math.sin(x / (70 - 14 * layer) + depth) + 0.4 * math.sin(x / (23 - 4 * layer) + 2 * depth)
    return 66 + 22 * layer - wave * (15 - 3 * layer)


def frame(moment):
    picture = Image.new("RGB", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(picture)
    for y in range(HEIGHT):
        share = min(1, y / 110)
        draw.line(
            (0, y, WIDTH, y),
            fill=tuple(round(a + (b - a) * share) for a, b in zip(*SKY)))
    sun = (60 + 2.6 * moment, 46 - 0.3 * moment)
    draw.ellipse((sun[0] - 13, sun[1] - 13, sun[0] + 13, sun[1] + 13), fill=(255, 243, 218))
    for layer, colour in enumerate(HILLS):
        shift = moment * (3 + 5 * layer)
        line = [(x, ridge(layer, x + shift)) for x in range(0, WIDTH + 4, 4)]
        draw.polygon([*line, (WIDTH, HEIGHT), (0, HEIGHT)], fill=colour)
    draw.rectangle((0, 138, WIDTH, HEIGHT), fill=SHORE)
    draw.polygon([(150, 138), (170, 138), (290, HEIGHT), (30, HEIGHT)], fill=ROAD)
    # The line in the middle of the road comes nearer.
    for number in range(9):
        near = ((number + moment * 1.6) % 9) / 9
        top, bottom = 138 + 42 * near ** 2, 138 + 42 * min(1, near + 0.05) ** 2
        draw.rectangle((159 - near, top, 161 + near, bottom), fill=(255, 250, 240))
    return picture


def main(output):
    command = [
        "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
        f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "-", "-an", "-c:v", "libx264", "-profile:v",
        "main", "-preset", "veryslow", "-crf", "33", "-g", str(RATE * 10), "-pix_fmt", "yuv420p",
        "-fflags", "+bitexact", "-map_metadata", "-1", "-movflags", "+faststart", output]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        for number in range(RATE * SECONDS):
            encoder.stdin.write(frame(number / RATE).tobytes())
        encoder.stdin.close()
        if encoder.wait():
            sys.exit("ffmpeg failed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
