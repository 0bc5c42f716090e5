def weight(item):
    return item.size


def keep(item):
    return is_big(item)


def is_big(item):
    return True


items = sorted(filter(keep, []), key=weight)
best = max(items, key=weight)
