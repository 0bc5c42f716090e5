from api import *

connect().send("x")
