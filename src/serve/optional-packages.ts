/**
 * Packages that only some settings need. They are optional peers in package.json, since they would take a quarter of
 * the disk space of an installation, and most services use neither: whoever sets such a setting installs them.
 */
import { extname } from 'node:path';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';

/** The settings that need packages. */
type DemandingSettings = Pick<Config, 's3' | 'isTracing'>;

type PackageName = keyof typeof manifest.peerDependencies;

export const STORE_PACKAGES: PackageName[] = ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'];
export const TRACES_PACKAGES: PackageName[] = ['@opentelemetry/resources', '@opentelemetry/sdk-node'];

/** npm removes packages that neither package.json nor this command names, so all are named at once. */
function describeInstallation({ s3, isTracing }: DemandingSettings): string {
  const settings = [...(s3 ? ['S3_BUCKET'] : []), ...(isTracing ? ['OTEL_EXPORTER_OTLP_ENDPOINT'] : [])];
  const names = [...(s3 ? STORE_PACKAGES : []), ...(isTracing ? TRACES_PACKAGES : [])];
  const packages = names.map((name) => `"${name}@${manifest.peerDependencies[name]}"`);
  // In a checkout they are development packages, which would stay omitted.
  const isCheckout = extname(import.meta.filename) === '.ts';
  const flags = isCheckout ? ['--no-save', '--save-prod', '--omit=dev'] : [];
  return (
    `${settings.join(' and ')}: this needs packages that are not installed with the others. Install them by\n` +
    `  ${['npm install', ...flags, ...packages].join(' ')}`
  );
}

/**
 * Loads a module that imports such packages.
 * @throws the command that installs them, where one is missing
 */
export async function loadDemanding<Module>(
  settings: DemandingSettings,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code } = error as { code?: unknown }; // Node's errors have one
    throw code === 'ERR_MODULE_NOT_FOUND' ? new Error(describeInstallation(settings)) : error;
  }
}
