import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.cjk.CJKAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * Indexes the lines of the first file with Lucene 8 in the directory that is the second argument, with the analysis of
 * the language that is the third. Then answers each line of the standard input, a query, with a line
 * {"results": [{"position": line of the text from 0, "score": …}, …], "milliseconds": …}.
 */
public final class LuceneSearch {
    private static final String POSITION = "position";
    private static final String FIELD = "content";
    private static final int RESULTS = 10;

    public static void main(String[] arguments) throws Exception {
        Similarity similarity = new BM25Similarity(1.2f, 0.75f);
        try (Analyzer analyzer = arguments[2].equals("chinese") ? new CJKAnalyzer() : new EnglishAnalyzer();
                FSDirectory directory = new MMapDirectory(Path.of(arguments[1]))) {
            index(Path.of(arguments[0]), directory, new IndexWriterConfig(analyzer).setSimilarity(similarity));
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                searcher.setSimilarity(similarity);
                searcher.setQueryCache(null); // Every query must be computed, as in the other engines.
                BufferedReader queries = new BufferedReader(new InputStreamReader(System.in, UTF_8));
                for (String query = queries.readLine(); query != null; query = queries.readLine()) {
                    System.out.println(answer(searcher, analyzer, query));
                }
            }
        }
    }

    private static void index(Path texts, FSDirectory directory, IndexWriterConfig config) throws Exception {
        try (BufferedReader lines = Files.newBufferedReader(texts);
                IndexWriter writer = new IndexWriter(directory, config)) {
            int position = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Document document = new Document();
                document.add(new StoredField(POSITION, position++));
                document.add(new TextField(FIELD, line, Field.Store.YES));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    /** The time runs from the query's text to the contents of the best passages. */
    private static String answer(IndexSearcher searcher, Analyzer analyzer, String text) throws Exception {
        long start = System.nanoTime();
        Query query = new QueryBuilder(analyzer).createBooleanQuery(FIELD, text); // Any of the words.
        if (query == null) query = new MatchNoDocsQuery(); // Stop words only.
        StringJoiner results = new StringJoiner(",");
        for (ScoreDoc found : searcher.search(query, RESULTS).scoreDocs) {
            Document document = searcher.doc(found.doc);
            if (document.get(FIELD).isEmpty()) throw new IllegalStateException("an empty passage");
            results.add("{\"position\":" + document.get(POSITION) + ",\"score\":" + found.score + "}");
        }
        double milliseconds = (System.nanoTime() - start) / 1e6;
        return "{\"results\":[" + results + "],\"milliseconds\":" + milliseconds + "}";
    }
}
