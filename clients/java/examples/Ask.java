import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import org.starcloak.client.Client;
import org.starcloak.client.Outcome;
import org.starcloak.client.Query;
import org.starcloak.client.RefusedException;
import org.starcloak.client.UnreachableException;

/**
 * The three pharmacies that are nearest.
 *
 * <p>usage: java -cp starcloak-client.jar Ask.java URL LON LAT &lt; TOKEN
 */
public final class Ask {
    public static void main(String[] arguments) throws IOException {
        String token = new BufferedReader(new InputStreamReader(System.in)).readLine();
        Client client = Client.at(arguments[0]).token(token).build();
        Query query = Query.at(Double.parseDouble(arguments[1]), Double.parseDouble(arguments[2]))
                .nearest(3).categories("pharmacy").k(2).maxWaitS(20);
        try {
            Outcome outcome = client.ask(query);
            if (outcome instanceof Outcome.Answered) {
                Outcome.Answered answered = (Outcome.Answered) outcome;
                System.out.println("hidden among " + answered.users + " users");
                for (Outcome.Found found : answered.objects) {
                    System.out.println((found.name.isEmpty() ? found.id : found.name) + ": "
                            + Math.round(found.distanceM) + " m");
                }
            } else if (outcome instanceof Outcome.Dropped) {
                System.out.println("no company: " + ((Outcome.Dropped) outcome).advice);
            } else if (outcome instanceof Outcome.Failed) {
                System.out.println("no answer: " + ((Outcome.Failed) outcome).problem);
            } else {
                System.out.println("away for too long; ask again");
            }
        } catch (RefusedException | UnreachableException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
