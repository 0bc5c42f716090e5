import functools


def logged(func):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        before()
        return func(*args, **kwargs)

    return wrapper


def before():
    pass


@logged
def save(item):
    store(item)


def store(item):
    pass


save(1)
