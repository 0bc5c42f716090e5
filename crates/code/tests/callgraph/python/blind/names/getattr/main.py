class Service:
    def start(self):
        pass

    def stop(self):
        pass


def call(service):
    method = getattr(service, "start")
    method()


def pair():
    return {"go": Service()}


call(Service())
pair()["go"].stop()
