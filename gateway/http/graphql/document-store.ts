import { createHash } from 'node:crypto';
import { type DocumentNode, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { DOCUMENT_LIMITS } from '../../federation/document/document-limits';

const MOST_DOCUMENTS = 1000;

/** Options under which every text is parsed. */
export const PARSE_OPTIONS = { maxTokens: DOCUMENT_LIMITS.tokens } as const;

/** Documents that were parsed, by the hash of their text. Bounded: strangers choose what comes in. */
export interface DocumentStore {
  get(hash: string): Promise<DocumentNode | undefined>;
  set(hash: string, document: DocumentNode): Promise<void>;
  delete(hash: string): Promise<boolean>;
  /** The document of a text, parsed now when it was not before. @throws GraphQLError */
  parse(source: string): DocumentNode;
}

export function createDocumentStore(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({ max: MOST_DOCUMENTS });
  return {
    get: (hash) => Promise.resolve(documents.get(hash)),
    set: (hash, document) => {
      documents.set(hash, document);
      return Promise.resolve();
    },
    delete: (hash) => Promise.resolve(documents.delete(hash)),
    parse(source) {
      const hash = createHash('sha256').update(source).digest('hex');
      const known = documents.get(hash);
      if (known !== undefined) return known;
      const document = parse(source, PARSE_OPTIONS);
      documents.set(hash, document);
      return document;
    },
  };
}
