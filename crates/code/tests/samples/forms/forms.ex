defmodule Forms do
  use GenServer
  alias Forms.{One, Two}
  alias Forms.Long, as: Short
  require Logger

  @behaviour Forms.Behaviour

  @type t :: %__MODULE__{name: String.t()}

  @callback run(term) :: :ok

  defstruct name: "do end"

  defguard is_big(x) when x > 10

  @doc """
  Starts it.

  def not_a_function do
  """
  def start(opts \\ []) do
    GenServer.start_link(__MODULE__, opts)
  end

  @impl true
  def init(state) do
    if state do
      prepare(state)
    else
      {:ok, ~s(end do)}
    end
  end

  def handle(:a, x) do
    x |> step_one() |> Two.step_two(1)
  end

  def handle(:b, x), do: step_one(x)

  def handle(_), do: nil

  defp step_one(x) do
    Enum.map(x, fn y -> convert(y) end)
    "#{convert(x)} end"
  end

  def ok?(x), do: x == ?" or valid!(x)

  defmacro twice(block) do
    quote do
      unquote(block)
    end
  end

  defdelegate size(list), to: List, as: :length

  defmodule Inner do
    def inner, do: :ok
  end
end

defprotocol Forms.Size do
  @doc "The size."
  def size(data)
end

defimpl Forms.Size, for: List do
  def size(list), do: length(list)
end
