const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject"])\n';

/** The schema of a library, split into subgraphs with every federation feature that affects plans. */
export const SUBGRAPH_SDL = {
  catalog: `${LINK}
    type Query {
      book(id: ID!): Book
      sure(id: ID!): Book!
      rows: [[Book!]]!
      works: [Work!]
      item(id: ID!): Item
      hits(limit: Int): [Hit]
      featured: [Book] @shareable
    }
    enum Format { PAPER DIGITAL }
    type Book @key(fields: "id") {
      id: ID!
      title: String!
      subtitle(lang: String): String
      pages: Int
      weight(unit: String): Int
      format: Format
      related: [Book!]!
      sequel(n: Int): Book
      cover: Work
      copies: [Copy!]
      author: Person @provides(fields: "name")
      stats: Stats @shareable
    }
    type Copy @key(fields: "code place { id }") { code: ID! place: Place! borrowers: [Person] }
    type Place @shareable { id: ID! }
    type Stats @shareable { views: Int likes: Int! history: [Stats] }
    interface Item { id: ID! }
    interface Work @key(fields: "id") { id: ID! }
    type Novel implements Work & Item @key(fields: "id") { id: ID! label(x: Int): String chapters: Int! book: Book }
    type Comic implements Work & Item @key(fields: "id") { id: ID! label(x: Int): [Int!] book: Book! }
    union Hit = Novel | Comic | Book
    type Person @key(fields: "id") { id: ID! name: String @external }`,
  shop: `${LINK}
    type Query { offer: Copy offers: [Copy!] featured: [Book] @shareable }
    type Book @key(fields: "id") {
      id: ID!
      pages: Int @external
      weight(unit: String): Int @external
      blurb(lang: String): String
      postage(zone: Int): Int @requires(fields: "pages")
      freight: Int @requires(fields: "weight(unit: \\"kg\\")")
      price: Float!
      copy: Copy
      forSale: [Copy]
      stats: Stats @shareable
    }
    type Copy @key(fields: "code place { id }") { code: ID! place: Place! deposit: Float! hint: String }
    type Place @shareable { id: ID! }
    type Stats @shareable { views: Int likes: Int! history: [Stats] }
    type Work @key(fields: "id") @interfaceObject { id: ID! cost: Float note: String seller: Person }
    type Person @key(fields: "id") { id: ID! }`,
  people: `${LINK}
    type Query { me: Person people: [Person!] }
    type Person @key(fields: "id") {
      id: ID!
      name: String @shareable
      nick(style: String): String
      friends: [Person]
      favourite: Book
      owns: [Copy]
    }
    type Book @key(fields: "id") { id: ID! readers: [Person!] flags: [String!] }
    type Copy @key(fields: "code place { id }") { code: ID! place: Place! condition(of: String): Int! holder: Person }
    type Place @shareable { id: ID! }`,
} as const;

/** The same graph as one schema. The gateway must return the same responses. */
export const MONOLITH_SDL = `
  type Query {
    book(id: ID!): Book
    sure(id: ID!): Book!
    rows: [[Book!]]!
    works: [Work!]
    item(id: ID!): Item
    hits(limit: Int): [Hit]
    featured: [Book]
    offer: Copy
    offers: [Copy!]
    me: Person
    people: [Person!]
  }
  enum Format { PAPER DIGITAL }
  type Book {
    id: ID!
    title: String!
    subtitle(lang: String): String
    pages: Int
    weight(unit: String): Int
    format: Format
    related: [Book!]!
    sequel(n: Int): Book
    cover: Work
    copies: [Copy!]
    author: Person
    stats: Stats
    blurb(lang: String): String
    postage(zone: Int): Int
    freight: Int
    price: Float!
    copy: Copy
    forSale: [Copy]
    readers: [Person!]
    flags: [String!]
  }
  type Copy {
    code: ID!
    place: Place!
    borrowers: [Person]
    deposit: Float!
    hint: String
    condition(of: String): Int!
    holder: Person
  }
  type Place { id: ID! }
  type Stats { views: Int likes: Int! history: [Stats] }
  interface Item { id: ID! }
  interface Work { id: ID! cost: Float note: String seller: Person }
  type Novel implements Work & Item {
    id: ID!
    label(x: Int): String
    chapters: Int!
    book: Book
    cost: Float
    note: String
    seller: Person
  }
  type Comic implements Work & Item {
    id: ID!
    label(x: Int): [Int!]
    book: Book!
    cost: Float
    note: String
    seller: Person
  }
  union Hit = Novel | Comic | Book
  type Person {
    id: ID!
    name: String
    nick(style: String): String
    friends: [Person]
    favourite: Book
    owns: [Copy]
  }`;
