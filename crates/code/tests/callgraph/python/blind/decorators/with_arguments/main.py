def retry(times):
    def decorate(func):
        def again(*args):
            for _ in range(times):
                func(*args)

        return again

    return decorate


class Client:
    @retry(3)
    def fetch(self, url):
        self.open(url)

    def open(self, url):
        pass


Client().fetch("x")
