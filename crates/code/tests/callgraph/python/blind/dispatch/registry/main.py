HANDLERS = []


def register(handler):
    HANDLERS.append(handler)
    return handler


@register
def on_open():
    log("open")


@register
def on_close():
    log("close")


def log(text):
    print(text)


def fire():
    for handler in HANDLERS:
        handler()


fire()
