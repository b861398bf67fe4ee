const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@interfaceObject"])\n';

/** The schema of a film studio, split into subgraphs. */
export const STUDIO_SDL = {
  archive: `${LINK}
    type Query { clip(id: ID!): Clip media(id: ID!): Media medias: [Media!] }
    type Clip @key(fields: "id") { id: ID! length(unit: String): Int next(n: Int): Clip source: Media }
    interface Media @key(fields: "id") { id: ID! year: Int }
    type Film implements Media @key(fields: "id") { id: ID! year: Int trailer: Clip runtime(unit: String): Int }
    type Song implements Media @key(fields: "id") { id: ID! year: Int lyrics: String }
    type Gig @key(fields: "id") { id: ID! title: String @shareable seats: Int }
    type Talk @key(fields: "id") { id: ID! title: String @shareable speaker: String }`,
  charts: `${LINK}
    type Query { popular: [Media] best: Media }
    type Media @key(fields: "id") @interfaceObject {
      id: ID!
      year: Int @external
      age: Int @requires(fields: "year")
      rating: Int
      clip: Clip
    }
    type Clip @key(fields: "id") {
      id: ID!
      length(unit: String): Int @external
      price: Int @requires(fields: "length(unit: \\"kg\\")")
      twin: Clip
      hit: Media
    }`,
  stage: `${LINK}
    type Query { hall: Hall @provides(fields: "shows { title }") next: [Show] }
    type Hall { name: String shows: [Show] }
    interface Show { id: ID! title: String }
    type Gig implements Show @key(fields: "id") { id: ID! title: String @external opener: Clip }
    type Talk implements Show @key(fields: "id") { id: ID! title: String @external }
    type Clip @key(fields: "id") {
      id: ID!
      length(unit: String): Int @external
      size(zoom: Int): Int @requires(fields: "length(unit: \\"e\\")")
      parent: Clip
      show(role: String): Show
    }`,
} as const;

/** The same graph as one schema. */
export const STUDIO_MONOLITH_SDL = `
  type Query {
    clip(id: ID!): Clip
    media(id: ID!): Media
    medias: [Media!]
    popular: [Media]
    best: Media
    hall: Hall
    next: [Show]
  }
  type Clip {
    id: ID!
    length(unit: String): Int
    next(n: Int): Clip
    source: Media
    price: Int
    twin: Clip
    hit: Media
    size(zoom: Int): Int
    parent: Clip
    show(role: String): Show
  }
  interface Media { id: ID! year: Int age: Int rating: Int clip: Clip }
  type Film implements Media {
    id: ID!
    year: Int
    age: Int
    rating: Int
    clip: Clip
    trailer: Clip
    runtime(unit: String): Int
  }
  type Song implements Media { id: ID! year: Int age: Int rating: Int clip: Clip lyrics: String }
  type Hall { name: String shows: [Show] }
  interface Show { id: ID! title: String }
  type Gig implements Show { id: ID! title: String seats: Int opener: Clip }
  type Talk implements Show { id: ID! title: String speaker: String }`;
