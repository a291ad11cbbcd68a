/**
 * Sentences by which a model is measured before it makes vectors: their mean is what it puts into every vector. They
 * are ours, about as different as sentences can be, and of nobody's content. Vectors that are stored depend on them:
 * they are never changed.
 */
import type { EmbeddingsServer } from './embeddings-server.ts';
import { WrongAnswer } from './model-failures.ts';
import { meanOf } from './model-space.ts';

/** In eight languages, of 64 fields of life. */
export const CALIBRATION_SENTENCES: readonly string[] = [
  'The committee shall publish its decision within thirty days of the hearing.',
  'Stir the onions in butter until they are golden, then add the tomatoes.',
  'Patients with high blood pressure should take the tablet every morning.',
  'The engine loses power when the fuel filter is blocked.',
  'Profits rose by four per cent in the last quarter of the year.',
  'The goalkeeper saved two penalties and the match ended without a winner.',
  'Strong winds and heavy snow are expected in the mountains tonight.',
  'The old bridge was destroyed by a flood in the eighteenth century.',
  'Restart the server after you have changed the password of the database.',
  'Young trees need water twice a week during their first summer.',
  'The orchestra plays a symphony for strings and two horns.',
  'Light from distant galaxies takes billions of years to reach the telescope.',
  'My grandmother taught all of us to read before we went to school.',
  'An acid and a base react to form salt and water.',
  'Wolves hunt in packs and follow the herd for days.',
  'The suitcase must not weigh more than twenty kilograms.',
  'Der Mieter muss Schäden an der Heizung sofort dem Vermieter melden.',
  'Im Herbst ziehen die Kraniche in großen Schwärmen nach Süden.',
  'Für den Kuchen werden drei Eier, Mehl und ein Glas Honig gebraucht.',
  'Die Maschine bleibt stehen, sobald jemand die Schutztür öffnet.',
  'Das Museum zeigt Gemälde aus drei Jahrhunderten.',
  'Nach der Operation darf sie sechs Wochen lang nicht schwer heben.',
  'Le train de nuit arrive à Marseille avec une heure de retard.',
  'Les élèves apprennent les fractions avant les équations.',
  'Cette loi protège les rivières contre les déchets des usines.',
  'La comédienne a quitté la scène sous les applaudissements.',
  'Il faut payer l’impôt sur le revenu avant la fin du mois de mai.',
  'Les abeilles trouvent leur chemin grâce au soleil.',
  'El volcán expulsó ceniza durante tres días.',
  'La empresa busca un carpintero con experiencia en muebles antiguos.',
  'El seguro no cubre los daños causados por el hielo.',
  'Los astronautas volvieron a la Tierra después de seis meses.',
  'Mi hermano toca la guitarra en una banda de jazz.',
  'El precio del trigo bajó por la buena cosecha.',
  'Поезд через тоннель идёт всего двадцать минут.',
  'Врач посоветовал больному больше гулять и меньше работать.',
  'Писатель закончил свой последний роман за год до смерти.',
  'Алюминий легче железа и хорошо проводит ток.',
  'Покупатель может вернуть обувь в течение двух недель.',
  'Рыбаки вышли в море до рассвета.',
  '申请护照需要两张照片和身份证。',
  '这座城市的地铁每三分钟一班。',
  '熊猫一天要吃十几公斤竹子。',
  '手机电池充满电大约需要两个小时。',
  '唐朝的诗人常常写到月亮和酒。',
  '地震发生后，学校的操场成了避难所。',
  'この薬は食後に一日三回飲んでください。',
  '台風のため、午後の飛行機はすべて欠航になった。',
  '祖父は庭で野菜を育てている。',
  '会議の資料は前日までに配布する。',
  '江戸時代の町には多くの職人が住んでいた。',
  '新しいカメラは暗い場所でもきれいに撮れる。',
  'يجب على المسافر أن يصل إلى المطار قبل ساعتين من موعد الرحلة.',
  'تزرع القرية الزيتون والتين منذ مئات السنين.',
  'فاز الفريق بالكأس بعد مباراة طويلة.',
  'تحول الألواح الشمسية ضوء الشمس إلى كهرباء.',
  'كتب القاضي حكمه في تسع صفحات.',
  'ينام الطفل الصغير أكثر من عشر ساعات كل ليلة.',
  'किसान ने बारिश से पहले खेत में बीज बो दिए।',
  'बैंक ने घर के कर्ज़ पर ब्याज की दर घटा दी।',
  'राजा ने नदी के किनारे एक बड़ा किला बनवाया।',
  'कंप्यूटर में वायरस आने से सारी फ़ाइलें मिट गईं।',
  'बच्चों को हर दिन दूध और फल देना चाहिए।',
  'पुस्तकालय रविवार को बंद रहता है।',
];

/** Sentences of a request: few enough for every server. */
const BATCH = 8;

/**
 * Asks a model for what all its vectors have in common; it is as long as the vectors.
 * @throws ModelFailure; the reason of the signal
 */
export async function measureMean(server: EmbeddingsServer, signal: AbortSignal): Promise<Float32Array> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < CALIBRATION_SENTENCES.length; from += BATCH) {
    const sentences = CALIBRATION_SENTENCES.slice(from, from + BATCH);
    vectors.push(...(await server.embed(sentences, { kind: 'passage', signal })));
  }
  const dimensions = vectors[0]?.length;
  if (vectors.some(({ length }) => length !== dimensions))
    throw new WrongAnswer('The embeddings server answered with vectors of several lengths.');
  return meanOf(vectors);
}
