def outer():
    def first():
        second()

    def second():
        third = inner_of()
        third()

    def inner_of():
        return first

    first()


outer()
