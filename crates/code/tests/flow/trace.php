<?php
// Runs programs that trace themselves and tells which lines ran and which definition each use saw.
// What a line defines and uses is read off the plain text, which the generator keeps to a few simple forms.

ini_set('display_errors', 'stderr');

// Thrown through everything; programs that catch it are left out of what they did after.
class Enough extends Error {}

class Trace
{
    public static array $plain, $uses, $defs, $frames, $pairs, $last;
    public static int $budget, $steps;
}

function touches(string $text): array
{
    $uses = $defs = [];
    foreach (explode("\n", $text) as $index => $raw) {
        $line = $rest = trim($raw);
        $use = $define = [];
        if (preg_match('/^foreach \(upto\(\d+\) as \$(\w+)\)/', $line, $m) || preg_match('/^\$(\w+) = function/', $line, $m)) {
            $define[] = $m[1];
            $rest = '';
        } elseif (str_starts_with($line, 'function ')) {
            $rest = '';
        } elseif (preg_match('/^\} catch \(\w+ \$(\w+)\)/', $line, $m)) {
            $define[] = $m[1];
            $rest = '';
        } elseif (preg_match('/^\$([abcd]) (\+?)= (.*);$/', $line, $m)) {
            $define[] = $m[1];
            if ($m[2] !== '') $use[] = $m[1];
            $rest = $m[3];
        } elseif (str_starts_with($line, '$xs[]')) {
            $define[] = 'xs';
        }
        preg_match_all('/\$([abcd]|xs|[ifp]\d+|e)\b/', $rest, $found);
        $uses[$index + 1] = array_values(array_unique(array_merge($use, $found[1])));
        $defs[$index + 1] = $define;
    }
    return [$uses, $defs];
}

function enter(int $first): int
{
    Trace::$frames[] = ['first' => $first, 'lines' => [], 'ended' => false];
    preg_match('/\(([^)]*)\)/', Trace::$plain[$first - 1], $m);
    foreach (explode(', ', $m[1]) as $name) Trace::$last[ltrim($name, '$')] = $first;
    return count(Trace::$frames) - 1;
}

function T(int $frame, int $line): bool
{
    if (++Trace::$steps > 3000) {
        // The program may catch everything: end this run for good.
        throw new Enough();
    }
    Trace::$frames[$frame]['lines'][] = $line;
    foreach (Trace::$uses[$line] as $name) {
        if (isset(Trace::$last[$name])) {
            Trace::$pairs["$name " . Trace::$last[$name] . " $line"] = [$name, Trace::$last[$name], $line];
        }
    }
    return true;
}

function D(int $frame, int $line): void
{
    foreach (Trace::$defs[$line] as $name) Trace::$last[$name] = $line;
}

function V(int $frame, int $line, $value)
{
    T($frame, $line);
    return $value;
}

function upto(int $count): array
{
    return $count > 0 ? range(0, $count - 1) : [];
}

function traced(int $frame, int $line, int $count): Generator
{
    for ($index = 0; $index < $count; $index++) {
        T($frame, $line);
        D($frame, $line);
        yield $index;
    }
    T($frame, $line);
}

function fuel(): bool
{
    return Trace::$budget-- > 0;
}

function div($x, $y): int
{
    if ($y == 0) throw new ValueError('zero');
    return intdiv($x, $y);
}

$folder = $argv[1];
foreach (array_slice($argv, 2) as $seed) {
    $text = file_get_contents("$folder/$seed.plain.php");
    Trace::$plain = explode("\n", $text);
    [Trace::$uses, Trace::$defs] = touches($text);
    Trace::$frames = Trace::$pairs = [];
    // Each program is a function of its own name.
    $code = preg_replace('/^<\?php/', '', file_get_contents("$folder/$seed.php"));
    eval(str_replace('function program(', "function program_$seed(", $code));
    foreach ([[1, 2, 3, 4], [0, 0, 5, 1], [6, 1, 0, 2]] as $start) {
        Trace::$budget = 40;
        Trace::$steps = 0;
        Trace::$last = [];
        $mark = count(Trace::$frames);
        try {
            ("program_$seed")(...[...$start, []]);
            Trace::$frames[$mark]['ended'] = true;
        } catch (ParseError $error) {
            throw $error;
        } catch (Throwable $error) {
        }
    }
    $frames = array_values(array_filter(Trace::$frames, fn($frame) => $frame['lines']));
    echo json_encode(['frames' => $frames, 'pairs' => array_values(Trace::$pairs)]), "\n";
}
