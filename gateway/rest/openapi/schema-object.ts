/** A JSON Schema of the dialect of OpenAPI 3.1, or another object of such a document. */
export type JsonSchema = Readonly<Record<string, unknown>>;
