import type { ResponsePath } from '../formatted-error';

/** A path in a subgraph's answer, with the keys that output rewrites rename. */
export function renamePath(path: ResponsePath, renames: ReadonlyMap<string, string>): ResponsePath {
  if (renames.size === 0) return path;
  return path.map((segment) => (typeof segment === 'string' ? (renames.get(segment) ?? segment) : segment));
}
