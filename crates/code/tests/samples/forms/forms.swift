import UIKit

typealias Handler = (Int) -> Void

public struct Point<T: Numeric>: Equatable, Codable where T: Codable {
    let x: T, y: T
    static let zero = Point(x: 0, y: 0)

    var length: Double {
        return measure(x)
    }

    static func == (lhs: Point, rhs: Point) -> Bool {
        return lhs.x == rhs.x
    }

    subscript(index: Int) -> T {
        return x
    }
}

enum Color: String, CaseIterable {
    case red = "#f00", green
    case custom(Int)

    func dark() -> Color { shade(self) }
}

final class Controller: UIViewController {
    @IBOutlet weak var label: UILabel!
    private lazy var items: [Item] = load()

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    deinit {
        stop()
    }

    class func make() -> Controller {
        return Controller()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let text = "a \(format(1)) }"
        let raw = #"func no() { "x" \(y) "#
        let long = """
            func neither() {
            """
        items.map { item in convert(item) }
        guard let first = items.first else { return }
        switch first {
        case .some(let x): use(x)
        default: break
        }
    }
}

extension Controller: Delegate {
    func didFinish(_ sender: Any?) async throws -> Int {
        try await fetch()
    }
}

protocol Delegate: AnyObject {
    associatedtype Value
    var value: Value { get }
    func didFinish(_ sender: Any?) async throws -> Int
    init(value: Value)
}

actor Counter {
    func next<T>(_ x: T) -> T where T: Sendable {
        x
    }
}
