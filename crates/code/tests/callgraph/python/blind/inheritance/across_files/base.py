class Shape:
    def __init__(self):
        self.tags = []

    def scale(self):
        return 1

    def area(self):
        return 0
