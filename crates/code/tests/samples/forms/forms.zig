const std = @import("std");
const Allocator = std.mem.Allocator;

pub const Error = error{ OutOfMemory, Bad };

pub const Shape = union(enum) {
    circle: f32,
    square: f32,

    pub fn area(self: Shape) f32 {
        return switch (self) {
            .circle => |r| scale(r),
            .square => |s| s * s,
        };
    }
};

pub fn List(comptime T: type) type {
    return struct {
        const Self = @This();
        items: []T,

        pub fn init(allocator: Allocator) Self {
            return .{ .items = alloc(allocator) };
        }
    };
}

const Packed = packed struct(u8) { a: u4, b: u4 };

extern fn write(fd: c_int, buf: [*]const u8, len: usize) isize;

pub inline fn fail() error{Bad}!void {
    return error.Bad;
}

const callback: *const fn (u8) void = undefined;

pub const text =
    \\fn no() {
    \\ "
;

var global: u32 = 0;

pub export fn run(c: u8) callconv(.C) void {
    const brace = '{';
    if (c == brace) fail() catch {};
    defer global += 1;
}

test "areas" {
    _ = area(.{ .circle = 1 });
}

test {
    _ = Shape;
}
