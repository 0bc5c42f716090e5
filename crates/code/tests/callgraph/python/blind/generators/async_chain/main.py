import asyncio


async def fetch():
    return Reply()


class Reply:
    def text(self):
        return decode()


def decode():
    return ""


async def main():
    reply = await fetch()
    reply.text()
    results = await asyncio.gather(fetch())


asyncio.run(main())
