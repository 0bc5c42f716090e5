# Runs programs that trace themselves and tells which lines ran and which definition each use saw.
# What a line defines and uses is read off the plain text, which the generator keeps to a few simple forms.
NAMES = /\b([abcd]|xs|[ifp]\d+|e)\b/

# Not one of the errors that programs catch.
class Enough < Exception; end

def touches(text)
  uses = {}
  defs = {}
  text.split("\n").each_with_index do |raw, index|
    line = raw.strip
    rest = line
    use = []
    define = []
    case line
    when /\Aupto\(\d+\)\.each do \|(\w+)\|/, /\A(\w+) = lambda do/
      define << $1
      rest = ""
    when /\Adef /
      rest = ""
    when /\Arescue \w+ => (\w+)/
      define << $1
      rest = ""
    when /\A([abcd]) (\+?)= (.*)\z/
      define << $1
      use << $1 unless $2.empty?
      rest = $3
    when /\Axs\.push\(/
      define << "xs"
    end
    use.concat(rest.scan(NAMES).flatten)
    uses[index + 1] = use.uniq
    defs[index + 1] = define
  end
  [uses, defs]
end

def enter(first)
  $frames << { first: first, lines: [], ended: false }
  header = $plain[first - 1][/[(|]([^)|]*)[)|]/, 1].split(", ")
  header.each { |name| $last[name] = first }
  $frames.length - 1
end

def T(frame, line)
  raise Enough if ($steps += 1) > 3000
  $frames[frame][:lines] << line
  $uses[line].each { |name| $pairs[[name, $last[name], line]] = true if $last.key?(name) }
  true
end

def D(_frame, line)
  $defs[line].each { |name| $last[name] = line }
end

def V(frame, line, value)
  T(frame, line)
  value
end

def traced(frame, line, count)
  Enumerator.new do |out|
    count.times do |index|
      T(frame, line)
      D(frame, line)
      out << index
    end
    T(frame, line)
  end
end

def fuel
  ($budget -= 1) >= 0
end

def div(x, y)
  raise ZeroDivisionError if y == 0
  x / y
end

def json(value)
  case value
  when Array then "[#{value.map { |one| json(one) }.join(',')}]"
  when Hash then "{#{value.map { |key, one| "\"#{key}\":#{json(one)}" }.join(',')}}"
  when String then "\"#{value}\""
  else value.to_s
  end
end

folder = ARGV.shift
ARGV.each do |seed|
  text = File.read("#{folder}/#{seed}.plain.rb")
  $plain = text.split("\n")
  $uses, $defs = touches(text)
  $frames = []
  $pairs = {}
  eval(File.read("#{folder}/#{seed}.rb"))
  [[1, 2, 3, 4], [0, 0, 5, 1], [6, 1, 0, 2]].each do |start|
    $budget = 40
    $steps = 0
    $last = {}
    mark = $frames.length
    begin
      program(*start, [])
      $frames[mark][:ended] = true
    rescue SyntaxError, NameError
      raise
    rescue Enough, StandardError
      nil
    end
  end
  frames = $frames.reject { |frame| frame[:lines].empty? }
  puts json({ frames: frames, pairs: $pairs.keys })
end
