def clean(text):
    return strip(text)


def strip(text):
    return text
