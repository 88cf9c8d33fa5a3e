"""The hardness numbers that split the winnable deals of a ruleset in thirds; see difficulty.py.

By ruleset: easy up to the first number, medium up to the second, hard above. Made by `manage.py calibrate`, not by
hand. Behind each line: the winnable deals it comes from, of how many dealt, and the mean share of play-outs won.
"""

THRESHOLDS: dict[str, tuple[int, int]] = {
    "N": (728, 740),  # 4 of 7, 23.6 % won
    "S": (701, 797),  # 4 of 7, 12.2 % won
    "O": (815, 823),  # 3 of 60, 0.4 % won
    "T": (652, 783),  # 4 of 7, 13.8 % won
    "A": (825, 825),  # 1 of 60, 0.0 % won
    "D": (813, 818),  # 4 of 8, 3.0 % won
    "B": (762, 766),  # 4 of 8, 10.9 % won
    "C": (720, 760),  # 4 of 7, 23.2 % won
    "G": (793, 845),  # 4 of 7, 6.5 % won
    "M": (731, 755),  # 4 of 7, 17.8 % won
    "P": (825, 825),  # 1 of 60, 0.0 % won
    "L": (54, 70),  # 4 of 4, 97.8 % won
    "J": (314, 764),  # 4 of 4, 42.3 % won
    "E": (383, 514),  # 4 of 6, 48.1 % won
    "X": (114, 125),  # 4 of 8, 70.8 % won
    "F": (278, 501),  # 4 of 6, 61.0 % won
}
