"""The order of what is measured in one round."""


def in_turn(things, number):
    """From the first to the last in the first round, the other way round in the next: whoever comes
    behind finds caches, clocks and the disk as another has left them."""
    things = list(things)
    return things[::-1] if number % 2 else things
