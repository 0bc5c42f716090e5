from store import Store


class Cache:
    def get(self, key):
        pass


def read(store: Store, cache: "Cache"):
    store.get("a")
    cache.get("a")


def make() -> Cache:
    return build()


def build():
    return Cache()


make().get("b")
