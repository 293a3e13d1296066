"""The subcommands of ``python -m stdial``, one module each, with a function ``add(subparsers)``.

``add`` registers a parser and sets its default ``run``: a function from the parsed options to the exit status. A
ValueError (and so a refusal or a question of a reading) becomes one line on standard error and exit status 2.
"""

__all__ = ["MODULES"]

MODULES = ("report", "plan", "tally", "bigmath")
