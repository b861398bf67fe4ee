import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import { pdf } from './images';
import { type evidenceOf, image } from './kyc-bodies';

export type Evidence = ReturnType<typeof evidenceOf>;

/** Submits evidence of new applicants, after a change. */
export interface EvidenceDesk<Result> {
  submit(change: (evidence: Evidence) => void): Promise<Result>;
  readonly files: FileHost;
}

/** One submission for each error code of evidence. */
export const EVIDENCE_CASES: Readonly<
  Record<keyof (typeof CATALOG_TABLES)['evidence'], <Result>(desk: EvidenceDesk<Result>) => Promise<Result>>
> = {
  INVALID_EVIDENCE_IMAGE: (desk) => withFront(desk, { base64: 'data:image/png;base64,AAAA' }),
  UNSUPPORTED_EVIDENCE_IMAGE_FORMAT: (desk) => withFront(desk, image(pdf())),
  EVIDENCE_URL_NOT_ALLOWED: (desk) => withFront(desk, { url: 'https://elsewhere.test/front.jpg' }),
  EVIDENCE_URL_EXPIRED: (desk) =>
    withFront(desk, { url: `${desk.files.url}/200?X-Amz-Date=20200101T000000Z&X-Amz-Expires=900` }),
  EVIDENCE_URL_FORBIDDEN: (desk) => withFront(desk, { url: `${desk.files.url}/403` }),
  EVIDENCE_URL_NOT_FOUND: (desk) => withFront(desk, { url: `${desk.files.url}/404` }),
  EVIDENCE_URL_UNREACHABLE: (desk) => withFront(desk, { url: `${desk.files.url}/500` }),
  EVIDENCE_URL_TIMEOUT: (desk) => withFront(desk, { url: `${desk.files.url}/silent` }),
  DOCUMENT_BACK_REQUIRED: (desk) => desk.submit(({ documents }) => (documents.back = undefined)),
  DOCUMENT_BACK_NOT_ALLOWED: (desk) => desk.submit(({ documents }) => (documents.documentType = 'PASSPORT')),
  INVALID_BIRTH_DATE: (desk) =>
    desk.submit(({ documents }) => (documents.attestation.extracted.birthDate = '31/01/1990')),
  LIVENESS_BELOW_THRESHOLD: (desk) => desk.submit(({ liveness }) => (liveness.attestation.confidence = 79.9)),
  IDENTITY_CPF_MISMATCH: (desk) =>
    desk.submit(({ documents }) => (documents.attestation.extracted.cpf = '52998224725')),
  UNDER_18: (desk) =>
    desk.submit(({ documents }) => {
      documents.attestation.extracted.birthDate = `${new Date().getUTCFullYear() - 17}-01-01`;
    }),
};

const withFront = <Result>({ submit }: EvidenceDesk<Result>, front: object): Promise<Result> =>
  submit(({ documents }) => (documents.front = front));

/** Responds with the status in the path, or with the number of bytes in `/bytes/…`. `/silent` never responds. */
export interface FileHost {
  readonly url: string;
  stop(): void;
}

export async function startFileHost(): Promise<FileHost> {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/silent') return;
    const [, first = '', size] = url.split('/');
    if (first === 'bytes') response.end(Buffer.alloc(Number(size), 'x'));
    else response.writeHead(Number.parseInt(first, 10)).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
