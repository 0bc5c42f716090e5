def red():
    pass


def blue():
    pass


def main():
    table = dict(red=red)
    table["blue"] = blue
    for name, paint in table.items():
        paint()
    for index, paint in enumerate([red]):
        paint()


main()
