import { request } from 'undici';
import { UpstreamError } from '../../../http/upstream-error';
import { isPublicHost } from '../../../http/public-address';
import type { EvidenceFile } from '../../identity-provider';

export interface Upload {
  /** As the ramp gave it. */
  readonly url: string;
  /** Base URL of the ramp. */
  readonly apiUrl: string;
  readonly file: EvidenceFile;
}

/**
 * Hands a file over to the place that the ramp named: itself, or a public one behind https. Redirects are not followed.
 *
 * @throws UpstreamError
 */
export async function uploadFile({ url, apiUrl, file }: Upload, signal: AbortSignal): Promise<void> {
  const target = new URL(url);
  const isOwn = target.origin === new URL(apiUrl).origin;
  if (!isOwn && !(target.protocol === 'https:' && isPublicHost(target.hostname))) {
    throw new UpstreamError('its upload URL is not an allowed address', { kind: 'unreadable' });
  }
  try {
    const headers = { 'content-type': file.mimeType, 'if-none-match': '*' };
    const answer = await request(target, { method: 'PUT', headers, body: file.bytes, signal });
    await answer.body.dump();
    // 412: it is there already, from an attempt whose answer was lost.
    if (answer.statusCode === 412 || (answer.statusCode >= 200 && answer.statusCode < 300)) return;
    const { statusCode: status } = answer;
    throw new UpstreamError(`it responded to an upload with ${String(status)}`, { kind: 'status', status });
  } catch (cause) {
    if (cause instanceof UpstreamError) throw cause;
    throw new UpstreamError('an upload failed', { kind: 'unreachable', cause });
  }
}
