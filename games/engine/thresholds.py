"""The hardness numbers that split the winnable deals of a ruleset in thirds; see difficulty.py.

By ruleset: easy up to the first number, medium up to the second, hard above. Made by `manage.py calibrate`, not by
hand. Behind each line: the winnable deals it comes from, of how many dealt, and the mean share of play-outs won.
"""

THRESHOLDS: dict[str, tuple[int, int]] = {
    "N": (335, 652),  # 90 of 138, 45.5 % won
    "S": (674, 797),  # 90 of 142, 14.3 % won
    "O": (790, 834),  # 36 of 700, 6.0 % won
    "T": (442, 785),  # 90 of 138, 34.0 % won
    "A": (772, 833),  # 26 of 700, 10.0 % won
    "D": (724, 800),  # 90 of 225, 11.9 % won
    "B": (523, 766),  # 90 of 141, 28.1 % won
    "C": (325, 628),  # 90 of 138, 45.8 % won
    "G": (782, 849),  # 90 of 230, 9.9 % won
    "M": (370, 662),  # 90 of 138, 40.8 % won
    "P": (772, 833),  # 26 of 700, 10.0 % won
    "L": (43, 55),  # 90 of 90, 98.5 % won
    "J": (347, 584),  # 90 of 165, 45.3 % won
    "E": (191, 515),  # 90 of 134, 55.3 % won
    "X": (156, 450),  # 90 of 129, 59.4 % won
    "F": (171, 470),  # 90 of 105, 63.2 % won
}
