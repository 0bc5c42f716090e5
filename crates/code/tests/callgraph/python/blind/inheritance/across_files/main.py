from shapes import Square
from tools import describe

describe(Square(3))
