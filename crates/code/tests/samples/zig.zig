const std = @import("std");
const stock = @import("stock.zig");

pub const limit: u32 = 10;

/// A cart.
pub const Cart = struct {
    size: u32 = 0,

    /// Adds an item.
    pub fn add(self: *Cart, count: u32) !u32 {
        self.size += count;
        return count;
    }

    pub fn total(self: *Cart) u32 {
        return self.add(1) catch 0;
    }
};

const Kind = enum { a, b };

fn pay(cart: *Cart) void {
    _ = cart.add(1) catch {};
}

pub fn main() void {
    var cart = Cart{};
    pay(&cart);
}

test "a cart adds" {
    try std.testing.expect(true);
}
