def run():
    from util.text import clean as tidy
    import util.net

    tidy("x")
    util.net.fetch()


def other():
    fetch = lambda: None
    fetch()


run()
other()
