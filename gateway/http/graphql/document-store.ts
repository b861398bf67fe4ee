import { createHash } from 'node:crypto';
import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { DOCUMENT_LIMITS } from '../../federation/document/document-limits';

const MAX_DOCUMENTS = 1000;
/** Maximum size of all stored documents together, in bytes as estimated by `sizeOf`. */
const MAX_SIZE = 64 * 1024 * 1024;
/** The largest document without comments still fits. */
const MAX_DOCUMENT_SIZE = MAX_SIZE / 16;
/** Memory of a syntax node with its token, and of a short comment by its length, as measured. */
const BYTES_PER_TOKEN = 500;
const BYTES_PER_CHARACTER_OF_COMMENTS = 45;

/** Parser options for every document. */
export const PARSE_OPTIONS = { maxTokens: DOCUMENT_LIMITS.tokens } as const;

/** Parsed documents by the hash of their text. Bounded by their number and their size, because callers choose the texts. */
export interface DocumentStore {
  get(hash: string): Promise<DocumentNode | undefined>;
  set(hash: string, document: DocumentNode): Promise<void>;
  delete(hash: string): Promise<boolean>;
  /** Returns the stored document of a text, or parses the text. @throws GraphQLError */
  parse(source: string): DocumentNode;
}

export function createDocumentStore(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_SIZE,
    maxEntrySize: MAX_DOCUMENT_SIZE,
    sizeCalculation: sizeOf,
  });
  return {
    get: (hash) => Promise.resolve(documents.get(hash)),
    set: (hash, document) => {
      documents.set(hash, document);
      return Promise.resolve();
    },
    delete: (hash) => Promise.resolve(documents.delete(hash)),
    parse(source) {
      const hash = createHash('sha256').update(source).digest('hex');
      const stored = documents.get(hash);
      if (stored !== undefined) return stored;
      const document = parseDocument(source);
      documents.set(hash, document);
      return document;
    },
  };
}

/** @throws GraphQLError, also when brackets are nested so deeply that the parser's stack overflows. */
function parseDocument(source: string): DocumentNode {
  try {
    return parse(source, PARSE_OPTIONS);
  } catch (error) {
    throw error instanceof RangeError ? new GraphQLError('Syntax Error: too many nested brackets.') : error;
  }
}

/** A document keeps its whole text. Each comment is a token, which `tokenCount` does not count. */
function sizeOf(document: DocumentNode): number {
  const { loc, tokenCount = 0 } = document as DocumentNode & { readonly tokenCount?: number };
  const text = loc?.source.body ?? '';
  const bytesPerCharacter = text.includes('#') ? BYTES_PER_CHARACTER_OF_COMMENTS : 2;
  return 1 + tokenCount * BYTES_PER_TOKEN + text.length * bytesPerCharacter;
}
