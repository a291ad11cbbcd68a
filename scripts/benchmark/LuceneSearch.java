import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;

/**
 * Indexes the lines of the first file with Lucene 8 in the directory that is the third argument,
 * and searches for the lines of the second. Prints {"indexSeconds": …, "milliseconds": [one for each query]}.
 */
public final class LuceneSearch {
    private static final String FIELD = "content";
    private static final int RESULTS = 10;
    /** By then the virtual machine has compiled the hot code. */
    private static final double WARM_UP_SECONDS = 10;

    public static void main(String[] arguments) throws Exception {
        Similarity similarity = new BM25Similarity(1.2f, 0.75f);
        try (EnglishAnalyzer analyzer = new EnglishAnalyzer();
                FSDirectory directory = new MMapDirectory(Path.of(arguments[2]))) {
            long start = System.nanoTime();
            index(Path.of(arguments[0]), directory, new IndexWriterConfig(analyzer).setSimilarity(similarity));
            double indexSeconds = (System.nanoTime() - start) / 1e9;
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                searcher.setSimilarity(similarity);
                searcher.setQueryCache(null); // Every query must be computed, as in the other engines.
                List<String> queries = Files.readAllLines(Path.of(arguments[1]));
                long warm = System.nanoTime() + (long) (WARM_UP_SECONDS * 1e9);
                do search(searcher, analyzer, queries);
                while (System.nanoTime() < warm);
                print(indexSeconds, search(searcher, analyzer, queries));
            }
        }
    }

    private static void index(Path texts, FSDirectory directory, IndexWriterConfig config) throws Exception {
        try (BufferedReader lines = Files.newBufferedReader(texts);
                IndexWriter writer = new IndexWriter(directory, config)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Document document = new Document();
                document.add(new TextField(FIELD, line, Field.Store.YES));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    /** Nanoseconds of each query, from its text to the contents of the best passages. */
    private static long[] search(IndexSearcher searcher, EnglishAnalyzer analyzer, List<String> queries)
            throws Exception {
        long[] nanoseconds = new long[queries.size()];
        for (int i = 0; i < nanoseconds.length; i++) {
            long start = System.nanoTime();
            QueryParser parser = new QueryParser(FIELD, analyzer); // OR is its default operator.
            Query query = parser.parse(QueryParser.escape(queries.get(i)));
            for (ScoreDoc found : searcher.search(query, RESULTS).scoreDocs) {
                if (searcher.doc(found.doc).get(FIELD).isEmpty()) throw new IllegalStateException("an empty passage");
            }
            nanoseconds[i] = System.nanoTime() - start;
        }
        return nanoseconds;
    }

    private static void print(double indexSeconds, long[] nanoseconds) {
        String milliseconds =
                LongStream.of(nanoseconds)
                        .mapToObj(time -> String.valueOf(time / 1e6))
                        .collect(Collectors.joining(","));
        System.out.println("{\"indexSeconds\":" + indexSeconds + ",\"milliseconds\":[" + milliseconds + "]}");
    }
}
