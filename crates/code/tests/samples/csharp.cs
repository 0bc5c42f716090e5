using Shop.Stock;

namespace Shop;

public class Cart : Base, IAble
{
    public const int Limit = 10;

    public int Count { get; set; }

    public Cart() { }

    /// <summary>
    /// Adds an item.
    /// </summary>
    [Obsolete]
    public int Add(Item item, int count = 1)
    {
        return count;
    }

    int Total() => this.Add(null);

    static void Pay(Cart cart)
    {
        cart.Add(null);
    }

    static void Main()
    {
        Pay(new Cart());
    }
}

interface IAble { int Total(); }

enum Kind { A }
