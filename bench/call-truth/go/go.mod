module call-truth

go 1.19
