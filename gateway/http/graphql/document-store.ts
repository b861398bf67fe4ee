import { createHash } from 'node:crypto';
import { type DocumentNode, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { DOCUMENT_LIMITS } from '../../federation/document/document-limits';

const MAX_DOCUMENTS = 1000;

/** Parser options for every document. */
export const PARSE_OPTIONS = { maxTokens: DOCUMENT_LIMITS.tokens } as const;

/** Parsed documents by the hash of their text. Bounded, because callers choose the texts. */
export interface DocumentStore {
  get(hash: string): Promise<DocumentNode | undefined>;
  set(hash: string, document: DocumentNode): Promise<void>;
  delete(hash: string): Promise<boolean>;
  /** Returns the stored document of a text, or parses the text. @throws GraphQLError */
  parse(source: string): DocumentNode;
}

export function createDocumentStore(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({ max: MAX_DOCUMENTS });
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
      const document = parse(source, PARSE_OPTIONS);
      documents.set(hash, document);
      return document;
    },
  };
}
