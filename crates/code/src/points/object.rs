//! What a node may hold, what an object has, and what is done with what a node holds.

use crate::values::ContainerKind;

/// Something that a variable may hold. Numbers are those of other objects, nodes and names of the same analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object {
    /// A function of a file.
    Function(u32, u32),
    /// A function with the object that it was read from.
    Bound(u32, u32),
    /// A class of a file.
    Class(u32, u32),
    /// The objects of a class, or of a function that is used as one.
    Instance(u32),
    /// What the objects of a class share, in JavaScript.
    Prototype(u32),
    /// What a file exports.
    Module(u32),
    /// A list, dictionary or object, by where it is made.
    Container { number: u32, kind: ContainerKind, length: Option<u32> },
    /// Something that gives what a node holds when it is iterated.
    Sequence(u32),
    /// Something that gives what a node holds when it is waited for.
    Promise(u32),
    /// What a class inherits from, with the object.
    Super(u32, u32),
    /// A method of the language's own containers.
    Native(u32, u32),
    /// A function with some of its arguments: the call that made it.
    Partial(u32),
    /// Something that is not of the project, by its path; 0 when that does not matter.
    External(u32),
    /// Something of the project that is not in the analysis.
    Missing,
    /// A constant text.
    Text(u32),
    /// A constant number.
    Number(i32),
    /// A value that has no part in calls.
    Plain,
}

/// What an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Prop {
    /// An attribute.
    Attr(u32),
    /// An entry of a dictionary.
    Item(u32),
    /// An item of a list.
    Index(i32),
    /// An item of which the key is not known.
    Any,
}

/// Who reads all that an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// A node, all items.
    Items(u32),
    /// A node, all items and attributes.
    Everything(u32),
    /// Another object, key by key.
    Copy(u32),
    /// Another object, from an item on.
    Shift(u32, i32),
}

/// What is done with what a node holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// It flows on.
    Copy(u32),
    /// It is waited for.
    Await(u32),
    /// It is a member that was read from an object.
    Bind { to: u32, this: u32, site: u32 },
    /// The object is given to a function.
    This { function: u32, to: u32 },
    /// An attribute is read.
    Get { name: u32, to: u32, site: u32 },
    /// An attribute is written.
    Set { name: u32, from: u32 },
    /// An item is read.
    Item { prop: Prop, to: u32 },
    /// An item is written.
    SetItem { prop: Prop, from: u32 },
    /// An item is read or written by the value of a node: the container, or the key.
    ItemOf(u32),
    /// See there.
    ItemKey(u32),
    /// Items from a number on are copied into a container.
    Slice { start: Option<u32>, into: u32 },
    /// Everything is copied into a container.
    Spread { into: u32 },
    /// Everything that another object has is copied into it.
    CopyFrom { from: u32 },
    /// It is iterated.
    Iterate { to: u32, site: u32 },
    /// It is called.
    Call(u32),
    /// It is the object of which the base class is wanted.
    Super { class: u32, to: u32 },
    /// It is the type of something; one that is only declared may be no class at all.
    Typed { to: u32, declared: bool },
    /// A class inherits from it.
    Base,
    /// Its attribute with a constant name is read: the object, and the name.
    GetNamed { of: u32, to: u32, site: u32 },
}
