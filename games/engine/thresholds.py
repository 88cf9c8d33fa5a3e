"""The hardness numbers that split the winnable deals of a ruleset in thirds; see difficulty.py.

By ruleset: easy up to the first number, medium up to the second, hard above. Made by `manage.py calibrate`, not by
hand. Behind each line: the winnable deals it comes from, of how many dealt, and the mean share of play-outs won.
"""

THRESHOLDS: dict[str, tuple[int, int]] = {
    "N": (265, 552),  # 240 of 365, 50.6 % won
    "S": (677, 787),  # 240 of 386, 15.5 % won
    "O": (793, 830),  # 113 of 2000, 4.6 % won
    "T": (436, 738),  # 240 of 365, 36.1 % won
    "A": (739, 820),  # 76 of 2000, 11.7 % won
    "D": (708, 790),  # 240 of 591, 13.1 % won
    "B": (465, 711),  # 240 of 374, 31.5 % won
    "C": (248, 551),  # 240 of 365, 51.0 % won
    "G": (781, 850),  # 240 of 636, 9.2 % won
    "M": (316, 572),  # 240 of 365, 46.0 % won
    "P": (739, 820),  # 76 of 2000, 11.7 % won
    "L": (43, 54),  # 240 of 240, 98.6 % won
    "J": (346, 600),  # 240 of 455, 44.6 % won
    "E": (199, 520),  # 240 of 326, 55.3 % won
    "X": (163, 496),  # 240 of 331, 59.4 % won
    "F": (152, 318),  # 240 of 278, 69.5 % won
}
