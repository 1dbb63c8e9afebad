"""The order of measurements in one round."""


def in_turn(things, number):
    """From first to last in the first round, reversed in the next: each one finds caches, clocks
    and the disk as left by another."""
    things = list(things)
    return things[::-1] if number % 2 else things
