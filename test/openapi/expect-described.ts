import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compileResponses, type ReceivedResponse, type ResponseValidator } from './response-schemas';

const FILE = path.resolve(__dirname, '../../docs/openapi.json');

/** The validators of this process by the text of their document. Its test files run one after another. */
const shared = process as { afluenteResponseValidators?: Map<string, ResponseValidator> };

let ofService: string | undefined;
const serviceDocument = (): string => (ofService ??= readFileSync(FILE, 'utf8'));

/** Asserts that a response is as the API description of its service describes it, and counts it. */
export function expectDescribed(
  response: ReceivedResponse,
  { from, document }: { readonly from: 'service' | 'edge'; readonly document: () => string } = SERVICE,
): void {
  const findings = validatorOf(document())(response);
  if (findings === undefined) return;
  const { operation, differences } = findings;
  if (differences.length > 0) {
    throw new Error(
      `${operation} ${response.status} differs from the OpenAPI document:\n${differences.join('\n')}\n${JSON.stringify(response.body)}`,
    );
  }
  count(from, `${operation} ${response.status}`, response.body);
}

const SERVICE = { from: 'service', document: serviceDocument } as const;

function validatorOf(text: string): ResponseValidator {
  const validators = (shared.afluenteResponseValidators ??= new Map<string, ResponseValidator>());
  const validator = validators.get(text) ?? compileResponses(text);
  validators.set(text, validator);
  return validator;
}

/** Adds a response to the file that `described-responses-reporter.cjs` reads after the run. */
function count(from: string, response: string, body: unknown): void {
  const file = process.env['AFLUENTE_TEST_DESCRIBED_RESPONSES'];
  if (file === undefined) return;
  const hash = createHash('sha256')
    .update(JSON.stringify(body ?? null))
    .digest('base64');
  appendFileSync(file, `${from}\t${response}\t${hash}\n`);
}
