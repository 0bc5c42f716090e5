defmodule Shop.Cart do
  @moduledoc """
  A cart.
  """

  alias Shop.Stock.Item
  import Shop.Stock

  @limit 10

  defstruct [:size]

  @doc "Adds an item."
  @spec add(map, integer) :: integer
  def add(cart, count \\ 1) when is_map(cart) do
    count
  end

  def total(cart), do: __MODULE__.add(cart)

  defp kind(:a), do: 1
  defp kind(_), do: 2
end

defmodule Shop do
  alias Shop.Cart

  def pay(cart) do
    Cart.add(cart, 1)
  end

  def main do
    pay(%Cart{})
  end
end
