import threading
from functools import partial


def work(n):
    finish(n)


def finish(n):
    pass


def ready(kind):
    pass


thread = threading.Thread(target=work, args=(1,))
thread.start()
notify = partial(ready, "done")
notify()
