def each(*functions, **named):
    for function in functions:
        function()
    named["last"]()


def one():
    pass


def two():
    pass


def three():
    pass


def forward(*args, **kwargs):
    each(*args, **kwargs)


forward(one, two, last=three)
